import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeDirectories } from '../../handlers/make-directories.js';
import { describeSystemError } from '../../run-directory/run-error.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Io } from '../io.js';
import { packageFile } from './package-files.js';
import { schemaModeline } from './schema-modeline.js';
import type { Template } from './templates.js';

/**
 * Writes the files of a template, all or none, and overwrites nothing.
 * @param directory as the call names it, from the current one
 * @returns what was written and the next calls, for a person
 * @throws UsageError if a file exists or cannot be written
 */
export function writeTemplate({ example }: Template, directory: string, io: Pick<Io, 'cwd' | 'env'>): string {
  const cwd = io.cwd();
  const pipeline = `${example.name}.dot`;
  const names = [pipeline, ...example.others];
  const script = example.others.find((name) => name.endsWith('.script.yaml'));
  const shown = (name: string): string => path.join(directory, name);
  const existing = names.filter((name) => existsSync(path.resolve(cwd, shown(name))));
  if (existing.length > 0)
    throw new UsageError(
      `${existing.map(shown).join(' and ')} ${existing.length === 1 ? 'exists' : 'exist'} already; nothing was written. Name another directory, as in \`attractor init pipelines\``,
    );
  try {
    makeDirectories(path.resolve(cwd, directory));
    for (const name of names) {
      const text = packageFile(`examples/${name}`).replaceAll(
        `examples/${example.name}`,
        shown(example.name),
      );
      const head = name === script ? schemaModeline('script') : '';
      writeFileSync(path.resolve(cwd, shown(name)), `${head}${alignRemarks(text)}`, { flag: 'wx' });
    }
  } catch (error) {
    throw new UsageError(`cannot write to ${directory}: ${describeSystemError(error)}`);
  }
  // npm removes from the path what it installed for one call.
  const attractor = ['exec', 'init'].includes(io.env.npm_command ?? '') ? 'npx attractor-dot' : 'attractor';
  const calls = [
    `${attractor} lint ${shown(pipeline)}`,
    ...(script === undefined
      ? []
      : [`${attractor} run ${shown(pipeline)} --simulate --script ${shown(script)}`]),
  ];
  return `${names.map((name) => `wrote ${shown(name)}\n`).join('')}\nNext:\n${calls.map((call) => `  ${call}\n`).join('')}`;
}

/** Aligns what stands after the calls in the comment at the head of a pipeline, whose paths are of another length now. */
function alignRemarks(text: string): string {
  const call = /^(\/\/ {3}attractor .*?) {2,}(\S.*)$/gm;
  const width = Math.max(0, ...[...text.matchAll(call)].map(([, words = '']) => words.length));
  return text.replaceAll(call, (_, words: string, remark: string) => `${words.padEnd(width)}  ${remark}`);
}
