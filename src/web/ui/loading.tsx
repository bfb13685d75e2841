import { Icon } from './icon.jsx';

/**
 * Something is on its way.
 * @param what names it: `the run`
 * @param screen what a whole screen is called that is to come, for those who go by headings
 */
export function Loading({ what, screen }: { readonly what: string; readonly screen?: string }) {
  return (
    <>
      {screen !== undefined && <h1 class="visually-hidden">{screen}</h1>}
      <p class="loading muted" role="status">
        <Icon name="busy" /> Loading {what} …
      </p>
    </>
  );
}
