import { Dialog } from './dialog.jsx';
import { KeyHint } from './key-hint.jsx';
import { shortcutGroups } from './shortcuts.js';

/** The keys that work on the screen that is shown. */
export function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      {shortcutGroups.value.map(({ title, shortcuts }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl class="shortcuts">
            {shortcuts.map(({ keys, what }) => (
              <div key={what}>
                <dt>{what}</dt>
                <dd class="row">
                  {keys.map((key) => (
                    <KeyHint key={key} keys={keyNames.get(key) ?? key} />
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p class="muted small">Letters do nothing while you write in a field.</p>
    </Dialog>
  );
}

const keyNames = new Map([
  ['ArrowDown', '↓'],
  ['ArrowUp', '↑'],
  ['ArrowLeft', '←'],
  ['ArrowRight', '→'],
  ['Escape', 'Esc'],
  [' ', 'Space'],
]);
