// Watch whether the kernel of a view is still alive, as far as the notebook tells.

interface Signal {
  connect(slot: () => void): unknown;
  disconnect(slot: () => void): unknown;
}

interface Kernel {
  status?: string;
  isDisposed?: boolean;
  statusChanged?: Signal;
  disposed?: Signal;
}

/** What notebooks give a widget; some have no kernel to ask. */
export interface Manager {
  kernel?: Kernel | null;
}

const GONE = ["dead", "restarting", "autorestarting", "terminating"];

/** Calls `gone` once when the kernel ends or begins anew; gives back what stops that. */
export function watchKernel(manager: Manager | undefined, gone: () => void): () => void {
  const kernel = manager?.kernel;
  const signals = [kernel?.statusChanged, kernel?.disposed];
  const stop = () => signals.forEach((signal) => signal?.disconnect(look));
  const look = () => {
    if (!kernel || !(kernel.isDisposed || GONE.includes(kernel.status ?? ""))) return;
    stop();
    gone();
  };
  for (const signal of signals) signal?.connect(look);
  return stop;
}
