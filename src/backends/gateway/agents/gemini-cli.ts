import { gatewayByVariables } from './by-variables.js';

/** Gemini CLI; signed in with an account of Google it ignores the address, and its requests do not pass. */
export const geminiCliGateway = gatewayByVariables({
  provider: 'google',
  keyVariables: ['GEMINI_API_KEY'],
  addressVariable: 'GOOGLE_GEMINI_BASE_URL',
  address: 'https://generativelanguage.googleapis.com',
  otherwise: {
    GOOGLE_GENAI_USE_VERTEXAI: 'Google Vertex AI',
    GOOGLE_GENAI_USE_GCA: 'an account of Google',
  },
});
