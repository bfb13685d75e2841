import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.jsx';

interface DialogProps {
  readonly title: string;
  /** Called however it is closed: by its button, Escape, or a click next to it. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

// Of radio buttons, the checked one.
const controls = 'button, input:not([type=radio]:not(:checked)), select, textarea, a[href]';

/** A dialog over the page, there as long as it is rendered; the focus goes to its first control, and back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // It is meant to be filled in or decided on, not to be closed.
    dialog.current?.querySelector<HTMLElement>(`.dialog-body :is(${controls})`)?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key that does the same is Escape, which a dialog knows by itself
    <dialog
      class="dialog"
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button look="quiet" icon="close" aria-label="Close" onClick={onClose} />
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
