import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Block, blocksOf, type Page, root } from '../../docs/markdown.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/**
 * The page as it would be if every ```` ```console ```` block had been typed just now, in one directory, from the top of
 * the page to its end. The directory has `examples/`, the blocks of the page that say `file=NAME`, and what lies in
 * `test/integration/docs/files/<page>/`, of which `bin/` stands in for commands of the system. Output that is the same but for times and ids
 * stays as it is written; a line `…` stands for any number of lines. A block that says `skip` is not typed.
 */
export function renewConsoleBlocks(page: Page): string {
  const session = openSession(page);
  const lines = page.text.split('\n');
  const renewed = blocksOf(page)
    .filter(
      (block) => writeFile(session, block) && block.language === 'console' && !block.words.includes('skip'),
    )
    .map((block) => ({ block, text: renewBlock(session, block) }));
  for (const { block, text } of renewed.reverse()) {
    const content = text.split('\n').map((line) => (line === '' ? '' : block.indentation + line));
    lines.splice(block.firstLine, block.endLine - block.firstLine, ...content);
  }
  return lines.join('\n');
}

interface Session {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

function openSession(page: Page): Session {
  const base = temporaryDirectory();
  const directory = path.join(base, 'project');
  const commands = path.join(base, 'bin');
  mkdirSync(directory);
  mkdirSync(commands);
  // The package as if it had been installed, for plugins.
  mkdirSync(path.join(base, 'node_modules'));
  symlinkSync(root, path.join(base, 'node_modules/attractor-dot'));
  cpSync(path.join(root, 'examples'), path.join(directory, 'examples'), { recursive: true });
  const files = path.join(root, 'test/integration/docs/files', path.basename(page.name, '.md'));
  if (existsSync(files)) cpSync(files, directory, { recursive: true });
  const attractor = path.join(commands, 'attractor');
  writeFileSync(
    attractor,
    `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, 'bin/attractor.js')}' "$@"\n`,
  );
  chmodSync(attractor, 0o755);
  const { FORCE_COLOR: _force, NO_COLOR: _no, ...inherited } = process.env;
  const search = [commands, path.join(directory, 'bin'), process.env.PATH].join(path.delimiter);
  return { directory, environment: { ...inherited, PATH: search } };
}

/** @returns true, so that it can stand in a filter: files are written in the order of the page */
function writeFile({ directory }: Session, block: Block): true {
  const name = block.option('file');
  if (name !== undefined) writeFileSync(path.join(directory, name), block.text);
  return true;
}

function renewBlock(session: Session, block: Block): string {
  return stepsOf(block)
    .flatMap(({ command, output }) => {
      const typed = type(session, command);
      const kept = sameOutput(output, typed) ? output : typed;
      return kept === '' ? [`$ ${command}`] : [`$ ${command}`, kept];
    })
    .join('\n');
}

interface Step {
  readonly command: string;
  readonly output: string;
}

/** Commands with what they printed; a line that ends in `\` continues in the next one. */
function stepsOf(block: Block): readonly Step[] {
  const steps: { command: string; output: string[] }[] = [];
  let goesOn = false;
  for (const line of block.text.trimEnd().split('\n')) {
    const last = steps.at(-1);
    if (goesOn && last !== undefined) last.command += `\n${line}`;
    else if (line.startsWith('$ ')) steps.push({ command: line.slice(2), output: [] });
    else if (last === undefined) throw new Error(`a console block begins with a command, not with: ${line}`);
    else last.output.push(line);
    goesOn = (goesOn || line.startsWith('$ ')) && line.endsWith('\\');
  }
  return steps.map(({ command, output }) => ({ command, output: output.join('\n') }));
}

function type({ directory, environment }: Session, command: string): string {
  const { stdout, error } = spawnSync('/bin/sh', ['-c', `exec 2>&1\n${command}`], {
    cwd: directory,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error !== undefined) throw error;
  return stdout.replaceAll(directory, '/home/you/project').trimEnd();
}

/** Whether an output is what the page says, but for times and ids. */
export function sameOutput(documented: string, actual: string): boolean {
  const pattern = masked(documented)
    .split('\n')
    .map((line) => (line.trim() === '…' ? '(?:.*\\n)*?' : `${escapeForPattern(line)}\\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(`${masked(actual)}\n`);
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

const masks: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/\b\d{8}-\d{6}-(\w+)-[a-z2-7]{6}\b/g, '<run of $1>'],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g, '<timestamp>'],
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b/g, '<time of day>'],
  [/("(?:duration|duration_ms|delay)": ?)\d+/g, '$1<milliseconds>'],
  [/\b(?:\d+ms|\d+\.\d+s|\d+m \d\ds|\d+h \d\dm)(?!\w)/g, '<time>'],
  // Columns are as wide as what stands in them.
  [/(?<=\S) +/g, ' '],
  [/ +$/gm, ''],
];

function masked(output: string): string {
  return masks.reduce((text, [pattern, mask]) => text.replaceAll(pattern, mask), output);
}
