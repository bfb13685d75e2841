import { type DocPage, docPages } from '../../src/cli/package/doc-pages.js';

/** `llms.txt`, by which models find the documentation in the package: https://llmstxt.org. */
export function llmsIndex(): string {
  const pages = docPages();
  const groups = [...new Set(pages.map(({ group }) => group))];
  return [
    '# attractor',
    '',
    '> A compiler and interpreter for AI pipelines written in Graphviz DOT: `attractor lint` checks a pipeline, `attractor render`',
    '> draws it, `attractor run` executes it with checkpoints.',
    '',
    'Without a network, `attractor docs NAME` prints a page, `attractor docs --all` all of them, as in dist/llms-full.txt; `attractor',
    'explain NAME` explains a rule, an attribute or a handler, and `attractor example NAME` prints a pipeline.',
    '',
    ...groups.flatMap((group) => [
      `## ${group.slice(0, 1).toUpperCase()}${group.slice(1)}`,
      '',
      ...pages.filter((page) => page.group === group).map(itemOf),
      '',
    ]),
  ].join('\n');
}

function itemOf({ name, summary, file }: DocPage): string {
  return `- [${name}](${file}): ${summary}`;
}
