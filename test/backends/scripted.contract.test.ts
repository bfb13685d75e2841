import { simulatedReply } from '../../src/handlers/codergen.js';
import { backendContract } from './backend.contract.js';
import { type OtherSide, quietSide, type Turn } from './other-side.js';
import { ScriptedSide } from './scripted-side.js';

backendContract('a scripted backend', {
  make: async (scenes) => new ScriptedSide(scenes),
  without: { steering: 'it takes no words' },
});

const pretends = 'a simulation pretends';

backendContract('a simulation', {
  make: async () => simulatedSide(),
  without: {
    answers: pretends,
    tools: pretends,
    usage: 'a simulation costs nothing',
    verdicts: pretends,
    corrections: pretends,
    cut_off: pretends,
    errors: pretends,
    asks: 'a simulation asks nobody',
    steering: 'a simulation takes no words',
    sessions: 'a simulation remembers nothing',
    hanging: 'a simulation is over at once',
  },
});

function simulatedSide(): OtherSide {
  const turns: Turn[] = [];
  return {
    ...quietSide,
    turns: () => turns,
    backend: async () => ({
      async run(node, prompt) {
        turns.push({ prompt, earlier: [] });
        return simulatedReply(node);
      },
    }),
  };
}
