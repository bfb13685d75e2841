// An interviewer that asks a committee; the majority decides. Yours may write to a chat or open a ticket.
//
//   attractor run examples/plugins/pipeline.dot --plugin ./examples/plugins/interviewer.mjs --interviewer committee

import { definePlugin, matchAnswer } from 'attractor-dot';

const votes = ['N', 'Y', 'Y'];

export default definePlugin({
  name: 'committee',
  interviewers: [
    {
      name: 'committee',
      // Called when a run begins.
      create: () => ({
        async ask(question, _signal) {
          const counts = new Map();
          for (const vote of votes) counts.set(vote, (counts.get(vote) ?? 0) + 1);
          const [[winner]] = [...counts].sort(([, one], [, other]) => other - one);
          // As a person would have typed it. Undefined (nobody can answer now) pauses the run until it is resumed.
          return matchAnswer(question, winner);
        },
        inform: (message, stage) => console.error(`to the committee, about ${stage}: ${message}`),
        // Called when the run has ended or paused.
        close: () => undefined,
      }),
    },
  ],
});
