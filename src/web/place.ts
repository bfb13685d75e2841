import { signal } from '@preact/signals';
import { hrefOf, type Place, parsePlace, type Route } from './route.js';

/** Current place of the reader; components that read it are rendered again when it changes. */
export const place = signal<Place>(parsePlace(location.hash));

addEventListener('hashchange', () => {
  place.value = parsePlace(location.hash);
});

/** Goes to a screen, as a link does. */
export function goTo(route: Route, query?: Readonly<Record<string, string | undefined>>): void {
  location.hash = hrefOf(route, query);
}

/**
 * Changes the query of a screen, without another step to go back. Does nothing if another screen is shown
 * meanwhile, or about to be: a late change must neither undo that nor alter the other screen.
 */
export function replaceQuery(of: Route, query: Readonly<Record<string, string | undefined>>): void {
  const href = hrefOf(of, query);
  const isThere = hrefOf(parsePlace(location.hash).route) === hrefOf(of);
  if (!isThere || href === location.hash) return;
  history.replaceState(history.state, '', href);
  place.value = parsePlace(href);
}
