import * as vscode from 'vscode';
import type { AttractorCommand } from '../server/attractor-command.js';
import { isPipeline } from '../server/pipeline-documents.js';
import { type AttractorTask, offeredTasks, readTask, taskArguments, taskName } from './task-list.js';

export const taskType = 'attractor';

/** Width of a terminal, in columns, at which no text is wrapped. */
const unwrapped = '100000';

/** Tasks `lint`, `run` and `test`, by the command line of the workspace. */
export function taskProvider(command: () => AttractorCommand): vscode.TaskProvider {
  return {
    provideTasks: () =>
      (vscode.workspace.workspaceFolders ?? []).flatMap((folder) =>
        offeredTasks(pipelineBelow(folder)).map((task) =>
          taskOf(task, { type: taskType, ...task }, folder, command()),
        ),
      ),
    resolveTask({ definition, scope }) {
      const task = readTask(definition);
      const [first] = vscode.workspace.workspaceFolders ?? [];
      const folder = typeof scope === 'object' ? scope : first;
      return task === undefined || folder === undefined
        ? undefined
        : taskOf(task, definition, folder, command());
    },
  };
}

function pipelineBelow(folder: vscode.WorkspaceFolder): string | undefined {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || !isPipeline(document)) return undefined;
  if (vscode.workspace.getWorkspaceFolder(document.uri)?.index !== folder.index) return undefined;
  return vscode.workspace.asRelativePath(document.uri, false);
}

function taskOf(
  task: AttractorTask,
  definition: vscode.TaskDefinition,
  folder: vscode.WorkspaceFolder,
  { command, args, env }: AttractorCommand,
): vscode.Task {
  const execution = new vscode.ProcessExecution(command, [...args, ...taskArguments(task)], {
    cwd: folder.uri.fsPath,
    // The matcher of problems reads a finding from one line.
    env: { ...env, COLUMNS: unwrapped },
  });
  const matchers = task.command === 'lint' ? ['$attractor'] : [];
  const made = new vscode.Task(definition, folder, taskName(task), 'attractor', execution, matchers);
  if (task.command === 'test') made.group = vscode.TaskGroup.Test;
  return made;
}
