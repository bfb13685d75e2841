import { isRecord } from '../../graph/json.js';
import { fieldOf, textFieldOf } from '../../handlers/error-fields.js';

/** Refusal of a request by the server of a model, with the fields by which errors are judged. */
export class UpstreamError extends Error {
  readonly statusCode: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly data: unknown;

  constructor(statusCode: number, headers: Headers, responseBody: string) {
    const data = parsed(responseBody);
    super(messageIn(data) ?? responseBody.trim());
    this.name = 'UpstreamError';
    this.statusCode = statusCode;
    this.responseHeaders = Object.fromEntries(headers);
    this.responseBody = responseBody;
    this.data = data;
  }
}

/** Message of a provider; Google may send a list. */
function messageIn(data: unknown): string | undefined {
  const body = Array.isArray(data) ? data[0] : data;
  const error = fieldOf(body, 'error');
  if (typeof error === 'string') return error;
  return textFieldOf(error, 'message') ?? textFieldOf(body, 'message');
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
