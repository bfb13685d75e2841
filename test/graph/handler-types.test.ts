import { describe, expect, it } from 'vitest';
import {
  type BuiltInHandlerType,
  customHandlerType,
  type HandlerType,
  handlerTypeOrCustom,
  handlerTypes,
  mayReachModel,
} from '../../src/graph/handler-types.js';
import { describedHandlerType } from '../../src/graph/known-handler-types.js';

/** The columns that hold for a type, by name; all others do not. */
const columns: Readonly<Record<BuiltInHandlerType, string>> = {
  start: 'instant runsSimulated neverFails harmless failureReachesConditional',
  exit: 'instant runsSimulated neverFails harmless failureReachesConditional',
  codergen: 'llm retriesFailure runsPrograms runsSimulated mayAskModel failureReachesConditional',
  'wait.human': 'ownsTimeout runsSimulated harmless',
  conditional: 'instant inheritsOutcome runsSimulated neverFails harmless failureReachesConditional',
  parallel: 'instant retriesFailure runsSimulated forks harmless failureReachesConditional',
  'parallel.fan_in': 'runsSimulated joins mayAskModel',
  tool: 'retriesFailure runsPrograms runsCommand failureReachesConditional',
  'stack.manager_loop': 'retriesFailure runsSimulated mayAskModel runsChild failureReachesConditional',
  pipeline: 'retriesFailure runsSimulated runsChild failureReachesConditional',
};

function columnsOf(row: HandlerType): readonly string[] {
  return Object.entries(row).flatMap(([column, value]) => (value === true ? [column] : []));
}

describe('the table of handler types', () => {
  it.each(handlerTypes)('has the columns of $type', (row) => {
    expect(columnsOf(row).toSorted()).toEqual(columns[row.type].split(' ').toSorted());
  });

  it('calls harmless what asks no model, runs no pipeline and no command, and nothing else', () => {
    for (const { type, harmless, mayAskModel, runsChild, runsCommand } of handlerTypes) {
      expect(harmless, type).toBe(!mayAskModel && !runsChild && !runsCommand);
    }
  });

  it('knows from which stages a model is reached: their own, or one of the pipeline that they run', () => {
    const reached = handlerTypes.filter(mayReachModel).map(({ type }) => type);
    expect(reached).toEqual(['codergen', 'parallel.fan_in', 'stack.manager_loop', 'pipeline']);
  });
});

describe('4.12: a type that is not in the table', () => {
  const careful = { harmless: false, mayAskModel: true, runsCommand: true };

  it('may do whatever a policy asks about', () => {
    expect(customHandlerType('deploy')).toMatchObject(careful);
    expect(handlerTypeOrCustom('deploy')).toEqual(customHandlerType('deploy'));
    expect(handlerTypeOrCustom('start')).toMatchObject({ harmless: true });
  });

  it('cannot say otherwise of itself', () => {
    const claims = {
      title: 'Deployment',
      llm: false,
      harmless: true,
      mayAskModel: false,
      runsCommand: false,
    };
    expect(describedHandlerType('deploy', claims)).toMatchObject({ ...careful, title: 'Deployment' });
  });
});
