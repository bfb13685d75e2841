import path from 'node:path';
import { type CancellationToken, CodeLensRefreshRequest, MessageType } from 'vscode-languageserver/node';
import type { CallResult } from '../../setup/call-result.js';
import type { LensCommand } from '../services/code-lenses.js';
import { resultWords } from './result-words.js';
import type { Session } from './session.js';
import { uriOf } from './workspace/workspace.js';

/** Performs a command on the file as it was saved, in a process of its own, and shows its result. */
export async function performCommand(
  command: LensCommand,
  file: string,
  session: Session,
  token: CancellationToken,
): Promise<CallResult> {
  const { ports, client, connection } = session;
  const drawing = command === 'attractor.draw' ? ports.temporaryFile(`${path.parse(file).name}.svg`) : '';
  const progress = client.window?.workDoneProgress
    ? await connection.window.createWorkDoneProgress()
    : undefined;
  progress?.begin(`attractor ${argumentsOf(command, file, drawing).join(' ')}`, undefined, undefined, true);
  const stop = new AbortController();
  for (const one of [token, progress?.token]) one?.onCancellationRequested(() => stop.abort());
  const result = await ports.attractor(argumentsOf(command, file, drawing), path.dirname(file), stop.signal);
  progress?.done();
  connection.console.log(`${result.stdout}${result.stderr}`);
  if (stop.signal.aborted) return result;
  if (command === 'attractor.test') noteCoverage(uriOf(file), result, session);
  if (command === 'attractor.draw' && result.status === 0) {
    await connection.window.showDocument({ uri: uriOf(drawing), external: true });
    return result;
  }
  // Exit status 3 is a run that waits for a person.
  const type = result.status === 0 || result.status === 3 ? MessageType.Info : MessageType.Error;
  session.tell(type, resultWords(result));
  return result;
}

function argumentsOf(command: LensCommand, file: string, drawing: string): readonly string[] {
  switch (command) {
    case 'attractor.run':
      return ['run', file, '--detach'];
    case 'attractor.simulate':
      return ['run', file, '--simulate', '--auto-approve'];
    case 'attractor.draw':
      return ['render', file, '-o', drawing];
    case 'attractor.test':
      return ['test', file, '--coverage', 'lcov'];
  }
}

/** Keeps how many stages the tests have visited, which LCOV calls functions. */
function noteCoverage(uri: string, { stdout }: CallResult, session: Session): void {
  const sum = (field: string): number =>
    [...stdout.matchAll(new RegExp(`^${field}:(\\d+)$`, 'gm'))].reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
  const [hit, all] = [sum('FNH'), sum('FNF')];
  if (all === 0) return;
  session.coverage.set(uri, `tests cover ${hit} of ${all} nodes`);
  if (session.client.workspace?.codeLens?.refreshSupport)
    void session.connection.sendRequest(CodeLensRefreshRequest.type);
}
