import { describe, expect, it } from 'vitest';
import { editSet } from '../../src/diagnostic/edit-set.js';
import { renamableAt, renameAt } from '../../src/lsp/services/rename.js';
import { workspaceAt } from './cursor.js';

/** The files after a renaming, or the reason why there is none. */
function renamed(texts: Readonly<Record<string, string>>, to: string): unknown {
  const { pipeline, offset, neighbours } = workspaceAt(texts);
  const renaming = renameAt(pipeline, offset, to, neighbours);
  if (renaming.kind === 'refused') return renaming.problem;
  const uris = [...new Set(renaming.edits.map(({ uri }) => uri))];
  return Object.fromEntries(
    uris.map((uri) => {
      const edits = editSet(neighbours.text(uri) ?? '');
      edits.add(
        renaming.edits.filter((edit) => edit.uri === uri),
        'rename',
      );
      return [uri.replace('file:///w/', ''), edits.apply()];
    }),
  );
}

describe('renaming', () => {
  it.each([
    [
      'a node wherever it is named',
      'digraph G { graph [model_stylesheet="#a { llm_model: m }"]; <|>a [retry_target=a]; b [tool_command="x ${stages.a.output}"]; a -> b [condition="stages.a.success = true"] }',
      'plan',
      'digraph G { graph [model_stylesheet="#plan { llm_model: m }"]; plan [retry_target=plan]; b [tool_command="x ${stages.plan.output}"]; plan -> b [condition="stages.plan.success = true"] }',
    ],
    [
      'a key behind escapes, at every depth',
      String.raw`digraph G { a [writes="pl<|>an"]; b [prompt="Say \"${'${context.plan.0}'}\" and ${'${plan}'}", "assign.x"="${'${context.plan}'}"] }`,
      'steps',
      String.raw`digraph G { a [writes="steps"]; b [prompt="Say \"${'${context.steps.0}'}\" and ${'${plan}'}", "assign.x"="${'${context.steps}'}"] }`,
    ],
    [
      'the key of an assignment',
      'digraph G { a ["assign.se<|>en"=1]; a -> b [condition="context.seen=1 || seen=2"] }',
      'done.once',
      'digraph G { a ["assign.done.once"=1]; a -> b [condition="context.done.once=1 || done.once=2"] }',
    ],
    [
      'a class in the stylesheet and on nodes',
      'digraph G { graph [model_stylesheet=".de<|>ep { llm_model: m }"]; a [class="fast, deep"] }',
      'slow',
      'digraph G { graph [model_stylesheet=".slow { llm_model: m }"]; a [class="fast, slow"] }',
    ],
    [
      'the items of a list',
      'digraph G { each [shape=component, foreach="${inputs.files}", as=fi<|>le]; a [prompt="${context.file}"] }',
      'path',
      'digraph G { each [shape=component, foreach="${inputs.files}", as=path]; a [prompt="${context.path}"] }',
    ],
  ])('changes %s', (_name, text, to, expected) => {
    expect(renamed({ 'main.dot': text }, to)).toEqual({ 'main.dot': expected });
  });

  it('changes an input in its pipeline, its prompts, and the stages that pass it', () => {
    const texts = {
      'child.dot': 'digraph C { graph [inputs="fi<|>les: list"]; a [prompt_file="a.md"] }',
      'a.md': 'Read ${inputs.files}.',
      'parent.dot': 'digraph P { run [type=pipeline, child="child.dot", params.files="x"] }',
    };
    expect(renamed(texts, 'paths')).toEqual({
      'child.dot': 'digraph C { graph [inputs="paths: list"]; a [prompt_file="a.md"] }',
      'a.md': 'Read ${inputs.paths}.',
      'parent.dot': 'digraph P { run [type=pipeline, child="child.dot", params.paths="x"] }',
    });
  });

  it.each([
    ['a taken id', 'digraph G { <|>a; b }', 'b', 'a node "b" already exists'],
    ['a text that is no id', 'digraph G { <|>a }', 'my-node', '"my-node" cannot be the id of a node'],
    ['a keyword', 'digraph G { <|>a }', 'subgraph', 'no keyword'],
    [
      'a key of the engine',
      'digraph G { a -> b [condition="out<|>come=fail"] }',
      'x',
      '"outcome" is set by the engine',
    ],
    [
      'a key that becomes one',
      'digraph G { a [writes="pl<|>an"] }',
      'tool.output',
      '"tool.output" is a key of the engine',
    ],
    ['a key that cannot be read', 'digraph G { a [writes="pl<|>an"] }', 'a b', '"a b" cannot be a key'],
    [
      'an attribute',
      'digraph G { a [prompt="${graph.go<|>al}"] }',
      'x',
      '"goal" is an attribute of the language',
    ],
    ['a file', 'digraph G { a [prompt_file="a.<|>md"] }', 'x', 'rename the file itself'],
    [
      'a class that a label makes',
      'digraph G { graph [model_stylesheet=".lo<|>op { llm_model: m }"]; subgraph s { label="Loop"; a } }',
      'x',
      'comes from the label of a subgraph',
    ],
    ['what has no name', 'digraph G { a [prompt="so<|>me"] }', 'x', 'nothing here has a name'],
  ])('refuses %s', (_name, text, to, problem) => {
    expect(renamed({ 'main.dot': text }, to)).toContain(problem);
  });

  it('shows the name before it is changed', () => {
    const { pipeline, offset, neighbours } = workspaceAt({ 'main.dot': 'digraph G { pl<|>an }' });
    expect(renamableAt(pipeline, offset, neighbours)).toEqual({
      kind: 'name',
      name: 'plan',
      span: { start: 12, end: 16 },
    });
  });
});
