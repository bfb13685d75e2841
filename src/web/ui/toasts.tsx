import { signal } from '@preact/signals';
import { Button } from './button.jsx';
import type { ColourState } from './run-badge.jsx';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly colour: ColourState;
}

const toasts = signal<readonly Toast[]>([]);
let latest = 0;

/** Milliseconds for which a success is shown; a failure stays until it is closed. */
const goodNewsMs = 6000;

/** Shows a message at the edge of the page and to screen readers. */
export function tell(text: string, colour: ColourState = 'done'): void {
  latest += 1;
  const id = latest;
  toasts.value = [...toasts.value.slice(-3), { id, text, colour }];
  if (colour !== 'failed') setTimeout(() => close(id), goodNewsMs);
}

/** Messages of `tell`; the shell has one. */
export function Toasts() {
  return (
    <section class="toasts" aria-live="polite" aria-label="Messages">
      {toasts.value.map(({ id, text, colour }) => (
        <div class="toast" key={id} data-state={colour}>
          <p>{text}</p>
          <Button look="quiet" icon="close" aria-label="Close the message" onClick={() => close(id)} />
        </div>
      ))}
    </section>
  );
}

function close(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
