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

/** Changes what of the screen is looked at, without another step to go back. */
export function replaceQuery(query: Readonly<Record<string, string | undefined>>): void {
  const { route } = place.value;
  const href = hrefOf(route, query);
  // Somebody may be on the way to another screen already, of which the browser has not told yet: that must not be undone.
  const isLeaving = hrefOf(parsePlace(location.hash).route) !== hrefOf(route);
  if (isLeaving || href === location.hash) return;
  history.replaceState(history.state, '', href);
  place.value = parsePlace(href);
}
