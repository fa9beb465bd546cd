// Paint milestones: firings without slack, as diamonds on their bars.

import { lowerBound } from "../model/search.ts";
import type { Theme } from "../core/theme.ts";
import type { TimelineView } from "./painter.ts";

const LEAST_ROW = 7;

/** Marks the bars without slack in the rows from `first` to `last`; those too close are left out. */
export function paintMilestones(
  context: CanvasRenderingContext2D,
  view: TimelineView,
  theme: Theme,
  first: number,
  last: number,
): number {
  const { axis, bars, gutter, plotWidth, rowHeight } = view;
  if (rowHeight < LEAST_ROW || bars.length) return 0;
  const half = Math.min(5, rowHeight * 0.26);
  const apart = ((2 * half + 1) * axis.span) / plotWidth;
  const path = new Path2D();
  let count = 0;
  for (let place = first; place < last; place++) {
    const row = view.rows[place];
    const y = view.top + (place + 0.5) * rowHeight - view.scroll;
    const stop = bars.start[row + 1];
    let bar = lowerBound(bars.early, axis.start - 0.5, bars.start[row], stop);
    while (bar < stop && bars.early[bar] < axis.stop) {
      if (bars.slack[bar] > 0) {
        bar++;
        continue;
      }
      const x = gutter + axis.toPixel(bars.early[bar] + 0.5, plotWidth);
      path.moveTo(x, y - half);
      path.lineTo(x + half, y);
      path.lineTo(x, y + half);
      path.lineTo(x - half, y);
      path.closePath();
      count++;
      bar = Math.max(bar + 1, lowerBound(bars.early, bars.early[bar] + apart, bar, stop));
    }
  }
  context.fillStyle = theme.paper;
  context.strokeStyle = theme.ink;
  context.lineWidth = 1;
  context.fill(path);
  context.stroke(path);
  return count;
}
