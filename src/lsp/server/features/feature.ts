import type { ServerCapabilities } from 'vscode-languageserver/node';
import type { Session } from '../session.js';

/** One ability of the server: what it tells the client, and the requests that it answers. */
export interface Feature {
  readonly capabilities: ServerCapabilities;
  register(session: Session): void;
}
