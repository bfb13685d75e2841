/** Process of the command line; a test has its own. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
  on(event: ProcessEvent, listener: (value: unknown) => void): unknown;
  off(event: ProcessEvent, listener: (value: unknown) => void): unknown;
}

/** Event of the process: a signal, an uncaught error, or an empty event loop. */
export type ProcessEvent =
  | 'SIGINT'
  | 'SIGTERM'
  | 'SIGHUP'
  | 'uncaughtException'
  | 'unhandledRejection'
  | 'beforeExit'
  | 'exit';

export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** @param onWritten called when the text has left this process */
  write(text: string | Uint8Array, onWritten?: () => void): unknown;
  on?(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * True if the output to a stream is coloured: on a terminal, unless the environment says otherwise (DESIGN
 * §5).
 */
export function usesColor(io: Io, stream: OutputStream): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: terminal } = io.env;
  if (force !== undefined && force !== '' && force !== '0' && force !== 'false') return true;
  if (no !== undefined && no !== '') return false;
  return stream.isTTY === true && terminal !== 'dumb' && force !== '0' && force !== 'false';
}

/** Columns of a terminal, or as many as `COLUMNS` wants there; undefined for another stream, or if the terminal does not say. */
export function terminalWidth({ env }: Pick<Io, 'env'>, { columns = 0 }: OutputStream): number | undefined {
  if (columns <= 0) return undefined;
  const wanted = /^[1-9]\d{0,6}$/.exec(env.COLUMNS ?? '');
  return wanted === null ? columns : Number(wanted[0]);
}
