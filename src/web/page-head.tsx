import type { Capabilities } from '../server/api/language.js';
import { serverState } from './api/request.js';
import { hrefOf, type Route } from './route.js';
import { Button } from './ui/button.jsx';
import { Mark } from './ui/mark.jsx';
import { chooseTheme, type ThemeChoice, themeChoice } from './ui/theme-choice.js';
import { useResource } from './ui/use-resource.js';

interface PageHeadProps {
  readonly route: Route;
  readonly onHelp: () => void;
}

/** Stands at the top of every screen: the name, the ways to the screens, the theme and the help. */
export function PageHead({ route, onHelp }: PageHeadProps) {
  const isPlayground = route.kind === 'playground';
  const isWorkers = route.kind === 'workers';
  const isLocked = serverState.value === 'locked';
  const { data: server } = useResource<Capabilities>(isLocked ? undefined : 'capabilities');
  return (
    <header class="page-head">
      <a class="brand" href={hrefOf({ kind: 'runs' })}>
        <Mark />
        <span>attractor</span>
      </a>
      <nav aria-label="Screens" class="page-nav">
        <a
          href={hrefOf({ kind: 'runs' })}
          aria-current={currentOf(!isPlayground && !isWorkers, route.kind === 'runs')}
        >
          Runs
        </a>
        <a href={hrefOf({ kind: 'playground' })} aria-current={currentOf(isPlayground, true)}>
          Playground
        </a>
        {server?.has_workers && (
          <a href={hrefOf({ kind: 'workers' })} aria-current={currentOf(isWorkers, true)}>
            Workers
          </a>
        )}
      </nav>
      <div class="page-tools">
        <ThemeButton />
        <Button look="quiet" icon="keyboard" aria-label="Keyboard shortcuts" onClick={onHelp} />
      </div>
    </header>
  );
}

function currentOf(isIn: boolean, isThere: boolean): 'page' | 'true' | undefined {
  if (!isIn) return undefined;
  return isThere ? 'page' : 'true';
}

function ThemeButton() {
  const choice = themeChoice.value;
  const { icon, next, name } = themes[choice];
  return (
    <Button
      look="quiet"
      icon={icon}
      aria-label={`Colours: ${name}. Change to ${themes[next].name}`}
      onClick={() => chooseTheme(next)}
    />
  );
}

const themes = {
  system: { icon: 'system', next: 'light', name: 'as the system' },
  light: { icon: 'sun', next: 'dark', name: 'light' },
  dark: { icon: 'moon', next: 'system', name: 'dark' },
} as const satisfies Record<ThemeChoice, object>;
