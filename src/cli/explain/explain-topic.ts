import type { AttributeDefinition } from '../../graph/attribute-tables/attribute-definition.js';
import { attributesOfKind } from '../../graph/attributes.js';
import { handlerDetails } from '../../graph/handler-details.js';
import { durationText } from './duration-text.js';
import { exampleFiles, isExampleInstalled } from './example-files.js';
import type { TopicPage } from './page.js';
import { ruleExamples } from './rule-examples.js';
import { type SyntaxExample, syntaxExamples } from './syntax-examples.js';
import type { Topic } from './topics.js';

/** Style of findings in an example. */
export interface ExampleStyle {
  readonly color: boolean;
  readonly width: number;
}

/** Writes what there is to know of a topic. */
export async function explainTopic(topic: Topic, page: TopicPage, style: ExampleStyle): Promise<void> {
  switch (topic.kind) {
    case 'rule':
      return explainRule(topic, page, style);
    case 'syntax_code':
      return explainSyntaxCode(topic, page);
    case 'handler':
      return explainHandler(topic, page);
    case 'attribute':
      return explainAttribute(topic, page);
  }
}

/** A pipeline of more lines illustrates a rule less than it hides it. */
const mostLines = 20;

async function explainRule(
  { rule }: Extract<Topic, { kind: 'rule' }>,
  page: TopicPage,
  style: ExampleStyle,
): Promise<void> {
  const { id, severity, summary, rationale, fixable, adjustable } = rule;
  page.title(id, ['rule', severity, ...(fixable ? ['fixed by lint --fix'] : [])].join(', '));
  page.paragraph(summary);
  if (rationale !== undefined) page.paragraph(rationale);
  const { bad, good } = ruleExamples(id);
  const found = bad === undefined ? '' : await findingIn(bad, id, style);
  if (found !== '') {
    page.heading('What it says');
    page.verbatim(found);
  }
  if (good !== undefined && good.trimEnd().split('\n').length <= mostLines) {
    page.heading('A pipeline without it');
    page.verbatim(good);
  }
  page.heading('To change it');
  page.list(
    adjustable
      ? [
          ['--rule', `\`attractor lint --rule ${id}=off\`, or another severity, for one call`],
          ['configuration', `\`rules: { ${id}: off }\` in \`attractor.config.yaml\``],
          [
            'comment',
            `\`// attractor-disable-next-line ${id}\`, or \`// attractor-disable ${id}\` for the file`,
          ],
        ]
      : [
          [
            'nothing',
            'No pipeline can run while it is violated, so its severity is fixed and it cannot be suppressed.',
          ],
        ],
  );
  page.paragraph(`Reference: docs/lint.md#${id}`);
}

/** The first finding of the rule, as lint prints it. */
async function findingIn(text: string, rule: string, { color, width }: ExampleStyle): Promise<string> {
  const { compile } = await import('../../compiler/compile.js');
  const { renderPretty } = await import('../../diagnostic/render-pretty.js');
  const { checkShell } = await import('../../setup/check-shell.js');
  const { source, diagnostics } = compile(text, {
    name: 'pipeline.dot',
    checkShell,
    isInstalled: isExampleInstalled,
    files: exampleFiles,
  });
  const found = diagnostics.find((diagnostic) => diagnostic.rule === rule);
  return found === undefined
    ? ''
    : renderPretty([{ source, diagnostics: [found] }], { color, width: width - 2, verbose: true });
}

function explainSyntaxCode({ name, entry }: Extract<Topic, { kind: 'syntax_code' }>, page: TopicPage): void {
  page.title(`syntax/${name}`, `finding of the parser, ${entry.severity}`);
  page.paragraph(entry.summary);
  const example = new Map<string, SyntaxExample>(Object.entries(syntaxExamples)).get(name);
  if (example !== undefined) {
    page.heading('Instead of');
    page.verbatim(example.bad);
    page.heading('Write');
    page.verbatim(example.good);
  }
  page.paragraph('Reference: docs/lint.md#syntax');
}

function explainHandler({ row }: Extract<Topic, { kind: 'handler' }>, page: TopicPage): void {
  page.title(row.type, `handler, ${row.title}`);
  page.paragraph(row.summary);
  page.verbatim(row.shape === undefined ? `name [type="${row.type}"]` : `name [shape=${row.shape}]`);
  const facts: readonly (readonly [isTrue: boolean, text: string])[] = [
    [row.llm, 'It calls a language model.'],
    [row.mayAskModel && !row.llm, 'It calls a language model where it has a prompt.'],
    [row.runsCommand, 'It runs a command: a server without `--allow-tools` refuses it.'],
    [row.instant, 'It does no work of its own, and costs nothing.'],
    [row.inheritsOutcome, 'Its edges are chosen by the outcome of the stage before it.'],
    [row.forks, 'All of its edges are taken, each as a branch.'],
    [row.joins, 'Branches of a parallel node meet here.'],
    [row.runsChild, 'It runs another pipeline, as a run of its own.'],
    [row.retriesFailure, 'A failure is retried up to `max_retries` times.'],
    [!row.retriesFailure, 'Its failures are not retried, whatever `max_retries` says.'],
    [row.ownsTimeout, 'It handles its own `timeout`.'],
  ];
  page.paragraph(facts.flatMap(([isTrue, text]) => (isTrue ? [text] : [])).join(' '));
  const details = Object.entries(handlerDetails).find(([type]) => type === row.type)?.[1];
  if (details !== undefined) {
    const { outcomes, writes } = details;
    const lists = [['sets', writes] as const, ['attributes', attributesOfKind(row.type)] as const];
    page.list([
      ['outcome', outcomes],
      ...lists.flatMap(([title, names]) =>
        names.length === 0 ? [] : [[title, names.map((name) => `\`${name}\``).join(', ')] as const],
      ),
    ]);
  }
  // The headings of the page, as GitHub links to them.
  page.paragraph(`Reference: docs/handlers.md#${row.type.replaceAll('.', '')}`);
}

function explainAttribute(
  { name, owner, definition }: Extract<Topic, { kind: 'attribute' }>,
  page: TopicPage,
): void {
  const { type, doc, section, values, minimum, template, kinds } = definition;
  page.title(name, `attribute of ${owner === 'edge' ? 'an edge' : `a ${owner}`}, ${type}`);
  page.paragraph(doc);
  const known = values?.map((value) => `\`${value}\``).join(', ');
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['values', known === undefined ? undefined : known + (definition.openValues ? ', and others' : '')],
    ['minimum', minimum === undefined ? undefined : String(minimum)],
    [
      'default',
      definition.default === undefined || definition.default === '' ? undefined : defaultText(definition),
    ],
    ['read by', kinds?.map((kind) => `\`${kind}\``).join(', ')],
    ['takes', template === undefined ? undefined : templateText(template)],
    ['defined in', definedIn(section)],
  ];
  page.list(facts.flatMap(([title, text]) => (text === undefined ? [] : [[title, text] as const])));
  page.paragraph('Reference: docs/attributes.md');
}

/** Place of the definition: a section of the specification, or a row or section of our own decisions. */
function definedIn(section: string): string {
  const [book, place] = section.split(' ');
  if (place === undefined) return `the Attractor specification, section ${section.slice(1)}`;
  if (book === 'App.') return `the Attractor specification, appendix ${place}`;
  return `docs/semantics.md, ${/^\d/.test(place) ? `row ${place}` : `section ${place.slice(1)}`}`;
}

/** Default value in the notation of pipelines. */
function defaultText({ type, default: value }: AttributeDefinition): string {
  return type === 'duration' ? durationText(Number(value)) : String(value);
}

function templateText(template: 'text' | 'shell'): string {
  const values = '`${path}` for a value at run time, such as `${context.plan}`';
  return template === 'shell' ? `${values}; in a command the shell gets them as variables` : values;
}
