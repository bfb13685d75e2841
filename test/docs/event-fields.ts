import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from './markdown.js';

/**
 * The fields of every type of event, as the source declares them: `seq` and its like left out, `stage` for what all stage
 * events have in common, `?` behind what may be missing, `branch` left out.
 */
export function fieldsOfEvents(): ReadonlyMap<string, readonly string[]> {
  const name = 'src/engine/machine/event.ts';
  const text = readFileSync(path.join(root, name), 'utf8');
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const fields = new Map<string, readonly string[]>();
  for (const statement of file.statements) {
    if (!ts.isInterfaceDeclaration(statement)) continue;
    const members = statement.members.filter(ts.isPropertySignature);
    const type = members.find((member) => member.name.getText() === 'type');
    if (type === undefined) continue;
    const parents = (statement.heritageClauses ?? []).flatMap((clause) =>
      clause.types.map((parent) => parent.getText()),
    );
    fields.set(statement.name.text, [
      ...(parents.includes('StageFields') ? ['stage'] : []),
      ...members
        .filter((member) => member !== type)
        .map((member) => `${member.name.getText()}${member.questionToken === undefined ? '' : '?'}`),
    ]);
  }
  return fields;
}
