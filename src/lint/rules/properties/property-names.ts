import { didYouMean } from '../../../diagnostic/did-you-mean.js';
import { gateChoices, matchChoice } from '../../../graph/choices.js';
import type { Graph } from '../../../graph/graph.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import { finalStatuses, sortNames, stageSorts } from '../../../graph/properties/stage-events.js';
import { propertyIn, writtenProperties } from '../../../graph/properties/written-properties.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import type { Name, StageEvent } from '../../../parser/property/ast.js';
import { eventsOf } from '../../../parser/property/events-of.js';
import { spanInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 144: names in the properties of a pipeline. */
export const propertyNames: LintRule = {
  name: 'property_names',
  severity: 'error',
  summary: 'The stages, classes and answers that a property names exist.',
  rationale:
    'A property of a stage that does not exist says nothing: `never pubish` holds for every run, and protects nothing. Name a node of the pipeline by its id, a class of its nodes, or a kind of stages: `LLM`, `tool`, `human`, `parallel`, `pipeline` or `any`. The word after `=` is an answer that the gate offers, an outcome (`success`, `partial_success`, `fail`, `skipped`), or the label that a stage prefers.',
  *apply(graph, { source, handlerTypes }) {
    for (const { attribute } of writtenProperties(graph)) {
      const { property } = propertyIn(attribute);
      if (property === undefined) continue;
      for (const { name, message } of eventsOf(property).flatMap((one) =>
        problemsOf(one, graph, handlerTypes),
      ))
        yield { message, span: spanInside(attribute, name.span, source) };
    }
  },
};

interface Problem {
  readonly name: Name;
  readonly message: string;
}

function problemsOf(
  { stages, result }: StageEvent,
  graph: Graph,
  handlerTypes: KnownHandlerTypes,
): readonly Problem[] {
  if (stages.kind === 'all') return [...sortProblem(stages.sort), ...classProblem(stages.ofClass, graph)];
  const { name } = stages;
  if (!graph.nodes.has(name.text)) {
    const message = `there is no stage "${name.text}"${didYouMean(name.text, graph.nodes.keys())}`;
    return [{ name, message }];
  }
  return result?.kind === 'word' ? answerProblem(name.text, result.word, graph, handlerTypes) : [];
}

function sortProblem(sort: Name | undefined): readonly Problem[] {
  if (sort === undefined || stageSorts.has(sort.text.toLowerCase())) return [];
  const message = `"${sort.text}" is not a kind of stages${didYouMean(sort.text, sortNames)}; expected ${sortNames.join(', ')}`;
  return [{ name: sort, message }];
}

function classProblem(ofClass: Name | undefined, graph: Graph): readonly Problem[] {
  if (ofClass === undefined) return [];
  const known = new Set([...graph.nodes.values()].flatMap(({ classes }) => classes));
  if (known.has(ofClass.text)) return [];
  const message = `no stage has the class "${ofClass.text}"${didYouMean(ofClass.text, known)}`;
  return [{ name: ofClass, message }];
}

/** A gate has a fixed list of answers; any other stage may prefer any label. */
function answerProblem(
  id: string,
  word: Name,
  graph: Graph,
  handlerTypes: KnownHandlerTypes,
): readonly Problem[] {
  if (word.text === 'retry') {
    const message = `no visit ends with "retry"; expected ${finalStatuses.join(', ')}, or an answer`;
    return [{ name: word, message }];
  }
  const node = graph.nodes.get(id);
  if (node === undefined || finalStatuses.includes(word.text)) return [];
  if (handlerTypeOf(graph, node, handlerTypes).type !== 'wait.human') return [];
  const choices = gateChoices(graph, id);
  if (matchChoice(choices, word.text) !== undefined) return [];
  const labels = choices.map(({ label }) => label);
  const message = `"${id}" does not offer "${word.text}"${didYouMean(word.text, labels)}; it offers ${labels.join(', ')}`;
  return [{ name: word, message }];
}
