import { execFile } from 'node:child_process';
import path from 'node:path';
import * as vscode from 'vscode';
import type { AttractorCommand } from '../server/attractor-command.js';
import { type CaseResult, type FileResults, readResults } from './read-results.js';
import type { Place } from './read-test-list.js';

const testFiles = '**/*.test.{yaml,yml}';
const packages = '**/node_modules/**';
/** Longest output of a test file, in bytes. */
const longestOutput = 64 * 1024 * 1024;

/** Cases of the test files of the workspace in the test explorer; `attractor test` plays them. */
export class TestExplorer implements vscode.Disposable {
  readonly #controller = vscode.tests.createTestController('attractor', 'Attractor');
  readonly #command: () => AttractorCommand;
  readonly #disposables: vscode.Disposable[] = [this.#controller];

  constructor(command: () => AttractorCommand) {
    this.#command = command;
    this.#controller.resolveHandler = async (item) => {
      if (item === undefined) await this.#discover();
      else await this.#readFile(item);
    };
    this.#controller.refreshHandler = () => this.#discover();
    this.#controller.createRunProfile(
      'Run',
      vscode.TestRunProfileKind.Run,
      (request, token) => this.#run(request, token),
      true,
    );
    const watcher = vscode.workspace.createFileSystemWatcher(testFiles);
    this.#disposables.push(
      watcher,
      watcher.onDidCreate((uri) => this.#add(uri)),
      watcher.onDidChange((uri) => this.#readAgain(uri)),
      watcher.onDidDelete((uri) => this.#controller.items.delete(uri.toString())),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => this.#readAgain(uri)),
      vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => this.#readAgain(uri)),
    );
  }

  dispose(): void {
    for (const one of this.#disposables.splice(0)) one.dispose();
  }

  async #discover(): Promise<void> {
    const found = await vscode.workspace.findFiles(testFiles, packages);
    const known = new Set(found.map((uri) => uri.toString()));
    for (const [id] of [...this.#controller.items]) if (!known.has(id)) this.#controller.items.delete(id);
    await Promise.all(found.map((uri) => this.#add(uri)));
  }

  async #add(uri: vscode.Uri): Promise<void> {
    if (/[\\/]node_modules[\\/]/.test(uri.fsPath)) return;
    const name = vscode.workspace.asRelativePath(uri);
    const item =
      this.#controller.items.get(uri.toString()) ??
      this.#controller.createTestItem(uri.toString(), name, uri);
    item.canResolveChildren = true;
    this.#controller.items.add(item);
    await this.#readFile(item);
  }

  async #readAgain(uri: vscode.Uri): Promise<void> {
    const item = this.#controller.items.get(uri.toString());
    if (item !== undefined) await this.#readFile(item);
  }

  /** Reads the cases of a file, as it is in the editor or on disk. */
  async #readFile(item: vscode.TestItem): Promise<void> {
    const { uri } = item;
    if (uri === undefined || item.parent !== undefined) return;
    // Loaded with the first test file: the reader brings the schema of test files.
    const { readTestList } = await import('./read-test-list.js');
    const { cases, problem } = await readText(uri).then(
      (text) => readTestList(text, path.basename(uri.fsPath)),
      (error: unknown) => ({ cases: [], problem: String(error) }),
    );
    item.error = problem;
    // The results of cases stay where the file is broken for a moment.
    if (problem !== undefined && item.children.size > 0) return;
    item.children.replace(
      cases.map(({ name, place }) => {
        const child = this.#controller.createTestItem(name, name, uri);
        child.range = rangeAt(place);
        return child;
      }),
    );
  }

  async #run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.#controller.createTestRun(request);
    const excluded = new Set(request.exclude);
    const wanted = request.include ?? [...this.#controller.items].map(([, item]) => item);
    for (const [file, cases] of casesByFile(wanted, excluded)) {
      if (token.isCancellationRequested) break;
      await this.#runFile(file, cases, run, token);
    }
    run.end();
  }

  async #runFile(
    file: vscode.TestItem,
    cases: readonly vscode.TestItem[],
    run: vscode.TestRun,
    token: vscode.CancellationToken,
  ): Promise<void> {
    if (file.uri === undefined) return;
    for (const one of cases) run.started(one);
    const [only, ...others] = cases;
    const filter = only !== undefined && others.length === 0 ? ['--filter', only.id] : [];
    const results = await play(this.#command(), file.uri.fsPath, filter, token);
    if (token.isCancellationRequested) {
      for (const one of cases) run.skipped(one);
      return;
    }
    report(run, file.uri, cases, results);
  }
}

/** The cases to play, by their file; a file as a whole stands for all of its cases. */
function casesByFile(
  items: readonly vscode.TestItem[],
  excluded: ReadonlySet<vscode.TestItem>,
): ReadonlyMap<vscode.TestItem, readonly vscode.TestItem[]> {
  const found = new Map<vscode.TestItem, Set<vscode.TestItem>>();
  for (const item of items) {
    const file = item.parent ?? item;
    if (excluded.has(file)) continue;
    const cases = item.parent === undefined ? [...item.children].map(([, child]) => child) : [item];
    const known = found.get(file) ?? new Set();
    for (const one of cases) if (!excluded.has(one)) known.add(one);
    found.set(file, known);
  }
  return new Map([...found].map(([file, cases]) => [file, [...cases]]));
}

/** Plays a file as it was saved. */
function play(
  { command, args, env }: AttractorCommand,
  file: string,
  filter: readonly string[],
  token: vscode.CancellationToken,
): Promise<FileResults> {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      [...args, 'test', file, '--format', 'json', ...filter],
      { cwd: path.dirname(file), maxBuffer: longestOutput, env: { ...process.env, ...env, NO_COLOR: '1' } },
      (error, stdout, stderr) => {
        // A status above 0 is one of ours; anything else did not run.
        const failure = error === null || typeof error.code === 'number' ? '' : error.message;
        resolve(readResults(stdout, `${stderr}${failure}`));
      },
    );
    token.onCancellationRequested(() => child.kill());
  });
}

function report(
  run: vscode.TestRun,
  uri: vscode.Uri,
  cases: readonly vscode.TestItem[],
  { cases: results, problems }: FileResults,
): void {
  for (const one of cases) {
    const result = results.get(one.id);
    if (result === undefined)
      run.errored(
        one,
        new vscode.TestMessage(problems.join('\n') || 'the file as it was saved has no such case'),
      );
    else if (result.passed) run.passed(one, result.duration);
    else run.failed(one, messagesOf(result, uri), result.duration);
    run.appendOutput(`${result?.passed === true ? '✔' : '✘'} ${one.id}\r\n`, undefined, one);
  }
  for (const problem of problems) run.appendOutput(`${problem.replaceAll('\n', '\r\n')}\r\n`);
}

function messagesOf({ mismatches }: CaseResult, uri: vscode.Uri): readonly vscode.TestMessage[] {
  return mismatches.map(({ message, place }) => {
    const shown = new vscode.TestMessage(message);
    shown.location = new vscode.Location(uri, rangeAt(place));
    return shown;
  });
}

function rangeAt({ line, column }: Place): vscode.Range {
  return new vscode.Range(line, column, line, column);
}

async function readText(uri: vscode.Uri): Promise<string> {
  const open = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  return open?.getText() ?? new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}
