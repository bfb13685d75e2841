import { backendContract } from '../../../backends/backend.contract.js';
import type { OtherSide, Scene } from '../../../backends/other-side.js';
import { type FakeAgent, fakeAgent, type Step } from './fake-agent.js';

backendContract('acp', {
  make: async (scenes) => otherSide(fakeAgent({ turns: scenes.map(stepsOf) })),
  attributes: 'llm_provider=fake',
  without: {
    budget_between_requests:
      'an agent counts its tokens at the end of a turn; costs are tested in acp-backend.test.ts',
    retry_after: 'the protocol has no word for it',
  },
});

function otherSide(agent: FakeAgent): OtherSide {
  return {
    backend: agent.backend,
    turns: () =>
      agent.noted('prompt').map(({ text, earlier }) => ({
        prompt: String(text),
        earlier: earlier as readonly string[],
      })),
    refusals: () => agent.noted('verdict').flatMap(({ isError, reply }) => (isError ? [String(reply)] : [])),
    heard: () => agent.noted('heard').map(({ text }) => String(text)),
    isHanging: () => agent.noted('hanging').length > 0 && agent.living().length > 0,
    isAtWork: () => agent.living().length > 0,
  };
}

function stepsOf(scene: Scene): readonly Step[] {
  switch (scene.kind) {
    case 'answers': {
      const { text, writes, asks, verdicts, usage = { input_tokens: 1, output_tokens: 1 } } = scene;
      const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
      const totalTokens = inputTokens + outputTokens;
      return [
        ...(writes === undefined ? [] : [{ do: 'write' as const, ...writes }]),
        ...(asks === undefined ? [] : [{ do: 'ask_person' as const, input: asks }]),
        ...(verdicts === undefined ? [] : [{ do: 'verdicts' as const, inputs: verdicts }]),
        { do: 'say', text },
        {
          do: 'end',
          response: { stopReason: 'end_turn', usage: { inputTokens, outputTokens, totalTokens } },
        },
      ];
    }
    case 'cut_off':
      return [
        { do: 'say', text: scene.text },
        { do: 'end', response: { stopReason: 'max_tokens' } },
      ];
    case 'refuses': {
      const data = { details: `API Error: ${scene.status} refused` };
      return [{ do: 'refuse', code: -32603, message: 'Internal error', data }];
    }
    case 'hangs':
      return [{ do: 'say', text: scene.text }, { do: 'hang' }];
  }
}
