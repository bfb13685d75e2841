import { didYouMean } from '../../../diagnostic/did-you-mean.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { parameterPrefix } from '../../../graph/attributes.js';
import type { JsonValue } from '../../../graph/json.js';
import { type Parameter, parametersOf, readParameter } from '../../../graph/parameters.js';
import { type DeclaredInputs, declaredInputs } from '../../../graph/values/declared-inputs.js';
import { describeType, fitsType } from '../../../parser/key-list/value-type.js';
import { type ChildStage, childStages, mayBeRewritten } from '../../child-stages.js';
import { valueSpanOf } from '../../findings-inside.js';
import { listNames } from '../../list-names.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** §9.4, SEMANTICS 101, 113: a stage gives the pipeline that it runs the inputs that this one declares. */
export const childInputs: LintRule = {
  name: 'child_inputs',
  severity: 'error',
  summary: 'A stage gives a child pipeline the inputs that it declares.',
  rationale:
    'A pipeline whose graph has `inputs` takes these inputs and no others, so a stage that runs it fails if it passes another `params.*`, omits a required one, or passes a value of another type. Values that the run computes are checked when the stage begins. If the text of another stage names the file, as in `Write build.dot`, that stage may rewrite it, and the finding is only a warning.',
  needsFiles: true,
  followsFlow: true,
  *apply(graph, context) {
    for (const stage of childStages(graph, context)) {
      const declared = stage.child.kind === 'compiled' ? declaredInputs(stage.child.graph) : undefined;
      if (declared === undefined) continue;
      const findings = [...wrongParameters(stage, declared, context), ...missing(stage, declared, context)];
      if (findings.length === 0) continue;
      const severity = mayBeRewritten(graph, stage, context) ? 'warning' : 'error';
      for (const finding of findings) yield { ...finding, severity, nodeId: stage.node.id };
    }
  },
};

function* wrongParameters(
  { node, file }: ChildStage,
  declared: DeclaredInputs,
  { source }: LintContext,
): Generator<Finding> {
  for (const parameter of parametersOf(node)) {
    const { name } = parameter;
    const attribute = node.attributes.get(`${parameterPrefix}${name}`);
    if (attribute === undefined) continue;
    const entry = declared.get(name);
    if (entry === undefined) {
      yield {
        message: `${excerpt(name)} is not an input of ${excerpt(file)}${insteadOf(name, declared)}`,
        span: attribute.keySpan,
        fix: {
          title: `name a declared input, or declare it in the \`inputs\` of ${excerpt(file)}`,
          edits: [],
        },
      };
      continue;
    }
    const value = literalOf(parameter);
    if (value === undefined || fitsType(entry.type, readParameter(value, entry.type))) continue;
    const expected = describeType(entry.type);
    yield {
      message: `the input ${excerpt(name)} of ${excerpt(file)} must be ${expected}; found ${shown(value)}`,
      span: valueSpanOf(attribute, source),
      fix: { title: `set it to ${expected}`, edits: [] },
    };
  }
}

function insteadOf(name: string, declared: DeclaredInputs): string {
  const names = [...declared.keys()];
  const hint = didYouMean(name, names);
  if (hint !== '') return hint;
  return names.length === 0 ? '; it declares none' : `; it declares ${listNames(names)}`;
}

function shown(value: JsonValue): string {
  return typeof value === 'string' ? excerpt(value) : JSON.stringify(value);
}

/** Value as written; undefined for one that only the run knows. */
function literalOf({ value }: Parameter): JsonValue | undefined {
  if (typeof value !== 'object') return value;
  if (value.parts.length === 0) return value.text;
  const [only, second] = value.parts;
  return only?.kind === 'literal' && second === undefined ? only.text : undefined;
}

function* missing(
  { node, attribute, file }: ChildStage,
  declared: DeclaredInputs,
  { source }: LintContext,
): Generator<Finding> {
  for (const { key, type, isOptional, default: literal } of declared.values()) {
    if (isOptional || literal !== undefined || node.attributes.has(`${parameterPrefix}${key}`)) continue;
    yield {
      message: `${excerpt(node.id)} does not set the input ${excerpt(key)} of ${excerpt(file)}, which has no default`,
      span: valueSpanOf(attribute, source),
      fix: { title: `add "${parameterPrefix}${key}"=…, ${describeType(type)}`, edits: [] },
    };
  }
}
