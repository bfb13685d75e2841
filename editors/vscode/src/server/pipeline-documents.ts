import * as vscode from 'vscode';

/** Languages whose documents are pipelines: ours, and that of Graphviz extensions unless the settings leave it out. */
export function servedLanguages(): readonly string[] {
  const languages = vscode.workspace.getConfiguration('attractor').get<readonly unknown[]>('languages') ?? [];
  const named = languages.filter((one) => typeof one === 'string');
  return named.length === 0 ? ['attractor-dot'] : named;
}

export function isPipeline({ languageId }: vscode.TextDocument): boolean {
  return servedLanguages().includes(languageId);
}
