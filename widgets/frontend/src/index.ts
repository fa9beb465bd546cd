// Exports of the bundle: anywidget's `render`, `mount` for any page; starts pages of their own.

import { mount } from "./shell/mount.ts";
import { startPage } from "./shell/page.ts";
import { render } from "./shell/widget.ts";

export { mount };

export default { render };

startPage(mount);
