/** A screen of the page, as the part of the address after `#` names it. */
export type Route =
  | { readonly kind: 'runs' }
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'stage'; readonly runId: string; readonly nodeId: string }
  | { readonly kind: 'playground' }
  /** Workers of the cluster whose runs the server shows. */
  | { readonly kind: 'workers' }
  /** An address that names nothing: mistyped, or from another version. */
  | { readonly kind: 'nowhere'; readonly address: string };

/** Place of the reader: a screen, and the part of it that is shown. */
export interface Place {
  readonly route: Route;
  readonly query: URLSearchParams;
}

/** Reads the part of an address after `#`, with or without that. */
export function parsePlace(hash: string): Place {
  const address = hash.replace(/^#/, '');
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(address) ?? [];
  return { route: parseRoute(path) ?? { kind: 'nowhere', address }, query: new URLSearchParams(query) };
}

/** The address of a screen, to link to. What is undefined or empty is left out of the query. */
export function hrefOf(route: Route, query: Readonly<Record<string, string | undefined>> = {}): string {
  const said = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(said.map(([key, value]) => [key, value ?? '']));
  return `#${pathOf(route)}${said.length > 0 ? `?${search}` : ''}`;
}

function parseRoute(path: string): Route | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const [first, runId, stages, nodeId] = parts.map(decoded);
  if (parts.length === 0) return { kind: 'runs' };
  if (first === 'playground' && parts.length === 1) return { kind: 'playground' };
  if (first === 'workers' && parts.length === 1) return { kind: 'workers' };
  if (first !== 'runs' || runId === undefined) return undefined;
  if (parts.length === 2) return { kind: 'run', runId };
  return parts.length === 4 && stages === 'stages' && nodeId !== undefined
    ? { kind: 'stage', runId, nodeId }
    : undefined;
}

function pathOf(route: Route): string {
  switch (route.kind) {
    case 'runs':
      return '/';
    case 'run':
      return `/runs/${encodeURIComponent(route.runId)}`;
    case 'stage':
      return `/runs/${encodeURIComponent(route.runId)}/stages/${encodeURIComponent(route.nodeId)}`;
    case 'playground':
      return '/playground';
    case 'workers':
      return '/workers';
    case 'nowhere':
      return route.address;
  }
}

/** Decoded text; undefined for invalid input such as `%E0%A4%A`. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
