import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from './markdown.js';

/**
 * The fields of every type of event, as the source declares them: `seq` and its like left out, `stage` for what all stage
 * events have in common, `?` behind what may be missing; the `branch` of what may be in one or not is left out.
 */
export function fieldsOfEvents(): ReadonlyMap<string, readonly string[]> {
  const name = 'src/engine/machine/event.ts';
  const text = readFileSync(path.join(root, name), 'utf8');
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const interfaces = file.statements.filter(ts.isInterfaceDeclaration);
  const fieldsOf = (name: string): readonly string[] =>
    interfaces.filter((one) => one.name.text === name).flatMap(ownFields);
  const fields = new Map<string, readonly string[]>();
  for (const one of interfaces) {
    if (!one.members.some((member) => member.name?.getText() === 'type')) continue;
    const parents = (one.heritageClauses ?? []).flatMap((clause) =>
      clause.types.map((parent) => parent.getText()),
    );
    fields.set(one.name.text, [
      ...(parents.includes('StageFields') ? ['stage'] : []),
      ...(parents.includes('BranchFields') ? fieldsOf('BranchFields') : []),
      ...ownFields(one),
    ]);
  }
  return fields;
}

function ownFields({ members }: ts.InterfaceDeclaration): readonly string[] {
  return members
    .filter(ts.isPropertySignature)
    .filter(({ name }) => name.getText() !== 'type')
    .map(({ name, questionToken }) => `${name.getText()}${questionToken === undefined ? '' : '?'}`);
}
