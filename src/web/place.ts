import { signal } from '@preact/signals';
import { hrefOf, type Place, parsePlace, type Route } from './route.js';

/** Where the reader is; components that read it are rendered again when that changes. */
export const place = signal<Place>(parsePlace(location.hash));

addEventListener('hashchange', () => {
  place.value = parsePlace(location.hash);
});

/** Goes to a screen, as a link does. */
export function goTo(route: Route, query?: Readonly<Record<string, string | undefined>>): void {
  location.hash = hrefOf(route, query);
}

/**
 * Changes what of a screen is looked at, without another step to go back. Nothing where somebody has gone to another screen
 * meanwhile, or is on the way there: what a screen does late must neither undo that nor change what is looked at there.
 */
export function replaceQuery(of: Route, query: Readonly<Record<string, string | undefined>>): void {
  const href = hrefOf(of, query);
  const isThere = hrefOf(parsePlace(location.hash).route) === hrefOf(of);
  if (!isThere || href === location.hash) return;
  history.replaceState(history.state, '', href);
  place.value = parsePlace(href);
}
