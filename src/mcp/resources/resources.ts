import { docPages } from '../../cli/package/doc-pages.js';
import { examples } from '../../cli/package/examples.js';
import { packageFile } from '../../cli/package/package-files.js';
import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { ruleCatalog } from '../../lint/rule-catalog.js';
import { UsageError } from '../../setup/usage-error.js';

/** Text that a client can read by its address. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
  text(): string;
}

const scheme = 'attractor://';

/** JSON schemas of the package: `docs/NAME.schema.json`. */
const schemas = {
  configuration: 'attractor.config.json and .yaml',
  script: 'scripts of simulations',
  test: 'test files, NAME.test.yaml',
  events: 'lines of the journal of a run, events.jsonl',
  conversation: 'lines of the conversation of a stage',
};

/** Pages, examples, schemas and rules of this version. */
export function resources(): readonly Resource[] {
  return [
    ...docPages().map(({ name, summary, file }) => ({
      uri: `${scheme}docs/${name}`,
      name,
      description: summary,
      mimeType: 'text/markdown',
      text: () => packageFile(file),
    })),
    ...examples.map(({ name, summary }) => ({
      uri: `${scheme}examples/${name}`,
      name: `${name}.dot`,
      description: summary,
      mimeType: 'text/vnd.graphviz',
      text: () => packageFile(`examples/${name}.dot`),
    })),
    ...Object.entries(schemas).map(([name, summary]) => ({
      uri: `${scheme}schemas/${name}`,
      name: `${name}.schema.json`,
      description: `JSON schema of ${summary}`,
      mimeType: 'application/schema+json',
      text: () => packageFile(`docs/${name}.schema.json`),
    })),
    {
      uri: `${scheme}rules`,
      name: 'rules',
      description:
        'Rules of check: id, severity, whether fix repairs it, and what it finds; explain has more',
      mimeType: 'text/markdown',
      text: rulesText,
    },
  ];
}

function rulesText(): string {
  const lines = ruleCatalog([]).map(
    ({ id, severity, fixable, summary }) =>
      `- ${id} (${severity}${fixable ? ', fixed by fix' : ''}): ${summary}`,
  );
  return `${lines.join('\n')}\n`;
}

/** @throws UsageError for an unknown address */
export function resourceAt(uri: string): Resource {
  const all = resources();
  const found = all.find((one) => one.uri === uri);
  if (found !== undefined) return found;
  const uris = all.map((one) => one.uri);
  throw new UsageError(`there is no resource ${uri}${didYouMean(uri, uris)}; resources/list has all of them`);
}
