import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Describes an error of foreign code for its author: its message and the position in its file, without our
 * stack.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  const [message = '', ...rest] = error.message.split('\n');
  const hint = rest.find((line) => line.startsWith('Did you mean'));
  const named =
    error.name === 'Error' || message.includes(error.name) ? message : `${error.name}: ${message}`;
  const place = foreignPlace(error);
  return [named || error.name, hint && ` ${hint}`, place && ` (${place})`].filter(Boolean).join('');
}

/** Describes the failure to load a module. A SyntaxError lacks the position, so it is looked up. */
export async function describeLoadFailure(error: unknown, file: string): Promise<string> {
  const described = describeFailure(error);
  if (!(error instanceof SyntaxError)) return described;
  const { spawnSync } = await import('node:child_process');
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
  const place = /^(\/.*:\d+)$/m.exec(stderr)?.[1];
  return place === undefined ? described : `${described} (${shorten(place)})`;
}

const ownFile = fileURLToPath(import.meta.url);
/** Folder of the code of this package, bundled or not. */
const ownFolder = /^.*[\\/](?:dist|src)[\\/]/.exec(ownFile)?.[0] ?? ownFile;

/** First position in the stack that is neither in Node nor in this package. */
export function foreignPlace({ stack = '', message }: Error): string | undefined {
  for (const line of stack.replace(message, '').split('\n')) {
    if (line.includes('(node:')) continue;
    const [, url = '', row = ''] = /((?:file:\/\/)?\/[^\s()]*?):(\d+)(?::\d+)?\)?$/.exec(line) ?? [];
    if (url === '') continue;
    const file = url.startsWith('file:') ? fileURLToPath(url.replace(/\?.*$/, '')) : url;
    if (!file.startsWith(ownFolder)) return `${shorten(file)}:${row}`;
  }
  return undefined;
}

function shorten(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
}
