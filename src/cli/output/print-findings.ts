import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FileDiagnostics } from '../../diagnostic/file-diagnostics.js';
import { version } from '../../version.js';
import type { CheckedFiles } from '../check-files.js';
import { type Io, usesColor } from '../io.js';
import type { LintFormat } from './lint-formats.js';

/** Prints the findings of `lint` to standard output (DESIGN §5). */
export async function printFindings(
  { checked, extraRules }: Pick<CheckedFiles, 'checked' | 'extraRules'>,
  format: LintFormat,
  io: Io,
): Promise<void> {
  switch (format) {
    case 'pretty':
      return printPretty(checked, io);
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
  }
}

async function printPretty(checked: readonly FileDiagnostics[], io: Io): Promise<void> {
  if (checked.length === 0) return;
  const { countDiagnostics } = await import('../../diagnostic/diagnostic.js');
  const { renderPretty } = await import('../../diagnostic/render-pretty.js');
  const { renderSummary } = await import('../../diagnostic/render-summary.js');
  const color = usesColor(io, io.stdout);
  // Some terminals say that they are of no width.
  const { columns = 0 } = io.stdout;
  const counts = countDiagnostics(checked.flatMap(({ diagnostics }) => diagnostics));
  io.stdout.write(renderPretty(checked, { color, width: columns > 0 ? columns : undefined }));
  io.stdout.write(`${renderSummary(counts, checked.length, color)}\n`);
}

/** Path from the root of the repository, as a workflow names files, whatever directory its step runs in. */
function pathInRepository(name: string, io: Io): string {
  const { GITHUB_WORKSPACE: root = '' } = io.env;
  if (root === '') return name;
  const relative = path.relative(root, path.resolve(io.cwd(), name));
  return relative.startsWith('..') || path.isAbsolute(relative) ? name : relative;
}
