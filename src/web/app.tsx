import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import './app.css';
import { serverState } from './api/request.js';
import { ConnectionNotice } from './connection-notice.jsx';
import { GateBar } from './gates/gate-bar.jsx';
import { LockedPage } from './locked-page.jsx';
import { PageHead } from './page-head.jsx';
import { goTo, place } from './place.js';
import type { Route } from './route.js';
import { Screen } from './screen.jsx';
import { ShortcutHelp } from './ui/shortcut-help.jsx';
import { useShortcuts } from './ui/shortcuts.js';
import { Toasts } from './ui/toasts.jsx';
import { useWindowTitle } from './ui/use-title.js';

/** The whole page: what stands around every screen, and the screen that the address names. */
export function App() {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const openHelp = (): void => setHelpOpen(true);
  useWindowTitle();
  useShortcuts('Everywhere', [
    { keys: ['?'], what: 'Show the keys', run: openHelp },
    { keys: ['g'], what: 'Go to the runs', run: () => goTo({ kind: 'runs' }) },
    { keys: ['p'], what: 'Go to the playground', run: () => goTo({ kind: 'playground' }) },
  ]);
  const { route } = place.value;
  const main = useFocusOnArrival(route);
  const isLocked = serverState.value === 'locked';
  return (
    <>
      {/* Not a link: the part after # names the screen. */}
      <button type="button" class="button button-primary skip-link" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <PageHead route={route} onHelp={openHelp} />
      {!isLocked && <ConnectionNotice />}
      {!isLocked && <GateBar />}
      <main id="main" class={`main main-${route.kind}`} tabIndex={-1} ref={main}>
        {isLocked ? <LockedPage /> : <Screen route={route} />}
      </main>
      <Toasts />
      {isHelpOpen && <ShortcutHelp onClose={() => setHelpOpen(false)} />}
    </>
  );
}

/** Moves the focus into another screen when that comes, so that the keyboard and screen readers begin there. */
function useFocusOnArrival(route: Route) {
  const main = useRef<HTMLElement>(null);
  const screen = 'runId' in route ? `run ${route.runId}` : route.kind;
  const before = useRef(screen);
  // With the screen, not after it: a key that is pressed at once may have moved the focus, which must stay
  // there.
  useLayoutEffect(() => {
    if (before.current === screen) return;
    before.current = screen;
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [screen]);
  return main;
}
