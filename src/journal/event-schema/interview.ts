import { event } from './event.js';
import { answer, inBranch, milliseconds, question, text } from './values.js';

const settled = {
  ...inBranch,
  question: text('The question.'),
  question_id: text('Id of the question.'),
  stage: text('Id of the node that asked.'),
};

const duration = milliseconds('Time since it was asked, in milliseconds.');

/** Events of a question to a person (§9.6), by type. */
export const interviewEvents = () => ({
  InterviewStarted: event('InterviewStarted', 'A question is asked.', {
    ...inBranch,
    question: question.meta({ description: 'The question.' }),
    stage: text('Id of the node that asks.'),
  }),
  InterviewCompleted: event('InterviewCompleted', 'A question was answered.', {
    ...settled,
    answer: answer.meta({ description: "The person's answer." }),
    duration,
  }),
  InterviewTimeout: event('InterviewTimeout', 'Nobody answered in time.', {
    ...settled,
    answer: answer.meta({ description: "The question's default, or `TIMEOUT`." }),
    duration,
  }),
});
