import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FileDiagnostics } from '../../diagnostic/file-diagnostics.js';
import { version } from '../../version.js';
import type { CheckedFiles } from '../check-files.js';
import { type Io, terminalWidth, usesColor } from '../io.js';
import type { LintFormat } from './lint-formats.js';
import { pathInRepository } from './path-in-repository.js';

export interface FindingsOptions {
  readonly verbose?: true;
  /** Set if the safe fixes have been made. */
  readonly fix?: true;
}

/** Prints the findings of `lint` to standard output (DESIGN §5). */
export async function printFindings(
  { checked, extraRules }: Pick<CheckedFiles, 'checked' | 'extraRules'>,
  format: LintFormat,
  options: FindingsOptions,
  io: Io,
): Promise<void> {
  switch (format) {
    case 'pretty':
      return printPretty(checked, options, io);
    case 'json': {
      const { renderJson } = await import('../../diagnostic/render-json.js');
      io.stdout.write(renderJson(checked));
      return;
    }
    case 'sarif': {
      const { renderSarif } = await import('../../diagnostic/render-sarif.js');
      const { ruleCatalog } = await import('../../lint/rule-catalog.js');
      const root = pathToFileURL(path.join(io.cwd(), '/')).href;
      io.stdout.write(renderSarif(checked, { version, root, rules: ruleCatalog(extraRules) }));
      return;
    }
    case 'github': {
      const { renderGithub } = await import('../../diagnostic/render-github.js');
      io.stdout.write(renderGithub(checked, (name) => pathInRepository(name, io)));
      return;
    }
    case 'gitlab': {
      const { renderGitlab } = await import('../../diagnostic/render-gitlab.js');
      const { sha256 } = await import('../../run-directory/sha256.js');
      const pathOf = (name: string): string => path.normalize(pathInRepository(name, io));
      io.stdout.write(renderGitlab(checked, { pathOf, digest: sha256 }));
      return;
    }
  }
}

async function printPretty(
  checked: readonly FileDiagnostics[],
  { verbose, fix }: FindingsOptions,
  io: Io,
): Promise<void> {
  if (checked.length === 0) return;
  const { findingsText } = await import('./findings-text.js');
  const text = findingsText(checked, {
    color: usesColor(io, io.stdout),
    width: terminalWidth(io, io.stdout),
    verbose,
    fileCount: checked.length,
    fixCommand: fix ? undefined : 'attractor lint --fix',
  });
  io.stdout.write(text);
}
