import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from './markdown.js';

/**
 * The fields of every type of event, as the source declares them: `seq` and its like left out, `stage` for what all stage
 * events have in common, `?` after what may be missing; the `branch` of what may be in one or not is left out.
 */
export function fieldsOfEvents(): ReadonlyMap<string, readonly string[]> {
  const interfaces = files.flatMap(interfacesOf);
  const fieldsOf = (one: ts.InterfaceDeclaration): readonly string[] => [
    ...parentsOf(one).flatMap((name) => {
      if (name === 'StageFields') return ['stage'];
      return name === 'InBranch'
        ? []
        : interfaces.filter((other) => other.name.text === name).flatMap(fieldsOf);
    }),
    ...ownFields(one),
  ];
  const fields = new Map<string, readonly string[]>();
  for (const one of interfaces) {
    if (!one.members.some((member) => member.name?.getText() === 'type')) continue;
    fields.set(one.name.text, fieldsOf(one));
  }
  return fields;
}

/** Where events are declared, and what they are put together from. */
const files = ['event.ts', 'progress.ts', 'budget-reports.ts'].map((name) => `src/machine/${name}`);

function interfacesOf(name: string): readonly ts.InterfaceDeclaration[] {
  const text = readFileSync(path.join(root, name), 'utf8');
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  return file.statements.filter(ts.isInterfaceDeclaration);
}

function parentsOf({
  heritageClauses = ts.factory.createNodeArray(),
}: ts.InterfaceDeclaration): readonly string[] {
  return heritageClauses.flatMap((clause) => clause.types.map((parent) => parent.getText()));
}

function ownFields({ members }: ts.InterfaceDeclaration): readonly string[] {
  return members
    .filter(ts.isPropertySignature)
    .filter(({ name }) => name.getText() !== 'type')
    .map(({ name, questionToken }) => `${name.getText()}${questionToken === undefined ? '' : '?'}`);
}
