import { expect, it } from 'vitest';
import { checkProperties } from '../../../src/check/check-properties.js';
import { renderJunit as renderVerdicts } from '../../../src/check/render-junit.js';
import { compile } from '../../../src/compiler/compile.js';
import { renderJunit as renderResults } from '../../../src/testing/report/render-junit.js';
import { play } from '../../testing/play.js';
import { inBrowser } from './in-browser.js';

// The JUnit reports, read by the XML parser of a browser, which refuses what is not well formed, and then as CI servers read
// them: the elements and attributes of the schema of Jenkins (with `file` and `line`, which GitLab and CircleCI know), and counts that fit.

/** Element of a document, as the browser has read it. */
interface Read {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Read[];
}

const counts = ['tests', 'failures', 'errors', 'skipped'];

/** Elements of a report, each with the attributes that it must have, those that it may have, and its parent. */
const elements: Readonly<
  Record<string, { readonly in: string; readonly has: readonly string[]; readonly may: readonly string[] }>
> = {
  testsuites: { in: '', has: ['name', 'tests', 'failures', 'errors'], may: ['time', 'skipped'] },
  testsuite: { in: 'testsuites', has: ['name', ...counts], may: ['time', 'file'] },
  testcase: { in: 'testsuite', has: ['name', 'classname'], may: ['time', 'file', 'line'] },
  failure: { in: 'testcase', has: ['message'], may: ['type'] },
  error: { in: 'testcase', has: ['message'], may: ['type'] },
  skipped: { in: 'testcase', has: ['message'], may: [] },
};

const numeric: Readonly<Record<string, RegExp>> = {
  time: /^\d+\.\d{3}$/,
  line: /^[1-9]\d*$/,
  ...Object.fromEntries(counts.map((name) => [name, /^\d+$/])),
};

/** What a CI server could not read, or would count otherwise. */
function problemsOf(one: Read, parent = ''): readonly string[] {
  const known = elements[one.tag];
  if (known === undefined || known.in !== parent) return [`<${one.tag}> in <${parent}>`];
  const names = Object.keys(one.attributes);
  const allowed = [...known.has, ...known.may];
  return [
    ...known.has.filter((name) => !names.includes(name)).map((name) => `<${one.tag}> without ${name}`),
    ...names.filter((name) => !allowed.includes(name)).map((name) => `<${one.tag}> with ${name}`),
    ...names
      .filter((name) => numeric[name]?.test(one.attributes[name] ?? '') === false)
      .map((name) => `<${one.tag}> with ${name}="${one.attributes[name]}"`),
    ...(one.children.length > 0 && one.text.trim() !== '' ? [`<${one.tag}> with "${one.text.trim()}"`] : []),
    ...miscounted(one),
    ...one.children.flatMap((child) => problemsOf(child, one.tag)),
  ];
}

function miscounted(one: Read): readonly string[] {
  if (!one.tag.startsWith('testsuite')) return [];
  const tags = { tests: 'testcase', failures: 'failure', errors: 'error', skipped: 'skipped' } as const;
  const all = below(one).map(({ tag }) => tag);
  return Object.entries(tags).flatMap(([name, tag]) => {
    const said = one.attributes[name];
    const count = all.filter((other) => other === tag).length;
    return said === undefined || Number(said) === count
      ? []
      : [`<${one.tag}> with ${name}="${said}", not ${count}`];
  });
}

function below(one: Read): readonly Read[] {
  return one.children.flatMap((child) => [child, ...below(child)]);
}

/** Function of the page that reads a report, or says why it cannot. */
const readInPage = `(xml) => {
  const document = new DOMParser().parseFromString(xml, 'application/xml');
  const broken = document.querySelector('parsererror');
  if (broken !== null) return broken.textContent;
  const read = (element) => ({
    tag: element.tagName,
    attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])),
    text: [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data).join(''),
    children: [...element.children].map(read),
  });
  return read(document.documentElement);
}`;

const hostile = '\\u001b[31m <b> & \\"quoted\\"\\r\\n\\tnext ]]> \\ud800 ü 😀 &amp;';

const mixed = `cases:
  - name: "passes ${hostile}"
  - name: fails
    script: { nodes: { draft: { outcome: fail, failure_reason: "${hostile}" } } }
    expect: { path: [start, draft, test, ok, exit], status: success, visits: { fix: 0 } }
`;
const unusable = 'cases: [{ name: a, expect: { path: ["<nowhere>"] } }]';

const properties = `digraph G {
  graph ["check.holds <& it>"="publish only after work", "check.is broken"="never publish",
    "check.open"="every run that completes has publish"]
  start [shape=Mdiamond] exit [shape=Msquare]
  work [prompt="Work"] publish [prompt="Publish"]
  start -> work
  work -> publish
  work -> exit [condition="stages.work.notes contains \\"<b>\\" && inputs.mode=x"]
  publish -> exit
}`;

inBrowser('reports for CI servers', 'no server', (world) => {
  const readIn = async (xml: string): Promise<Read> => {
    const { page } = await world.openFile('about:blank');
    const read = await page.evaluate<Read | string>(`(${readInPage})(${JSON.stringify(xml)})`);
    if (typeof read === 'string') throw new Error(read);
    return read;
  };

  it('reads what `attractor test` reports, whatever the texts are', async () => {
    const results = [await play(mixed), await play(unusable)];
    const read = await readIn(renderResults(results));
    expect(problemsOf(read)).toEqual([]);
    expect(read.attributes).toMatchObject({ tests: '3', failures: '1', errors: '1' });
    const [first, second] = read.children[0]?.children ?? [];
    expect(first?.attributes.name).toBe('passes ␛[31m <b> & "quoted"\r\n\tnext ]]> \ufffd ü 😀 &amp;');
    expect(second?.children[0]?.text).toContain('the path differs\n');
  });

  it('reads what `attractor check` reports, whatever the texts are', async () => {
    const { program, ...compilation } = compile(properties);
    if (program === undefined) throw new Error(JSON.stringify(compilation.diagnostics));
    const verdicts = await checkProperties({ ...compilation, program });
    const read = await readIn(renderVerdicts('a & "b"/<c>.dot', verdicts));
    expect(problemsOf(read)).toEqual([]);
    expect(read.children.map(({ attributes }) => attributes.name)).toEqual(['a & "b"/<c>.dot']);
    expect(
      below(read)
        .filter(({ tag }) => tag === 'testcase')
        .map(({ attributes, children }) => [attributes.name, children.map(({ tag }) => tag).join()]),
    ).toEqual([
      ['holds <& it>', ''],
      ['is broken', 'failure'],
      ['open', 'skipped'],
    ]);
    const script = below(read).find(({ tag }) => tag === 'failure')?.text ?? '';
    expect(JSON.parse(script)).toHaveProperty('nodes');
  });

  it('refuses a report that is not well formed, and one with a wrong count', async () => {
    await expect(readIn('<testsuites><testsuite></testsuites>')).rejects.toThrow();
    const wrong = renderResults([await play('cases: [{ name: a }]')]).replace('tests="1"', 'tests="2"');
    expect(problemsOf(await readIn(wrong))).toEqual(['<testsuites> with tests="2", not 1']);
  });
});
