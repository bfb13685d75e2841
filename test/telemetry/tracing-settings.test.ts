import { describe, expect, it } from 'vitest';
import { tracingSettings } from '../../src/telemetry/tracing-settings.js';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

describe('whether runs are traced', () => {
  it.each([
    ['nothing is said', {}, 'off'],
    ['an endpoint is given', endpoint, 'otlp'],
    [
      'an endpoint for traces is given',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/v1/traces' },
      'otlp',
    ],
    ['the usual endpoint is wanted', { OTEL_TRACES_EXPORTER: 'otlp' }, 'otlp'],
    ['the console is wanted', { ...endpoint, OTEL_TRACES_EXPORTER: 'console' }, 'console'],
    ['none is wanted', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, 'off'],
    ['all of it is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, 'off'],
    ['the endpoint is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, 'off'],
  ])('where %s', (_name, variables, kind) => {
    expect(tracingSettings(variables)).toMatchObject({ kind });
  });

  it.each([
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'not as grpc'],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER=zipkin is not supported'],
  ])('says what it does not heed of %j', (variables, words) => {
    expect(tracingSettings(variables)).toEqual({ kind: 'otlp', problem: expect.stringContaining(words) });
  });
});
