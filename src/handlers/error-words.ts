// Error names of systems, providers and libraries, sorted by the chance of another attempt (§3.6).

/** Codes of the system and of Node's clients for a network that failed, or a service that is unavailable. */
export const transientCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ESOCKETTIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EAGAIN',
  'ERR_NETWORK',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
  'ERR_SOCKET_CONNECTION_TIMEOUT',
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_STREAM_ERROR',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/** Codes for a wrong configuration: an address, a certificate. */
export const configurationCodes: ReadonlySet<string> = new Set([
  'ERR_INVALID_URL',
  'ERR_INVALID_PROTOCOL',
  'ERR_UNSUPPORTED_PROTOCOL',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Codes of providers for an exhausted account: some send it as HTTP 429, but waiting does not help. */
export const exhaustedAccounts: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_error',
  'billing_not_active',
  'billing_hard_limit_reached',
  'account_deactivated',
  'access_terminated',
]);

/** Types and codes of providers for passing conditions. */
export const transientWords: ReadonlySet<string> = new Set([
  'overloaded_error',
  'rate_limit_error',
  'timeout_error',
  'api_error',
  'server_error',
  'internal_server_error',
  'service_unavailable',
  'rate_limit_exceeded',
  'slow_down',
  'overloaded',
  'UNAVAILABLE',
  'RESOURCE_EXHAUSTED',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
  'ABORTED',
]);

/** Types and codes of providers for final refusals. */
export const finalWords: ReadonlySet<string> = new Set([
  'authentication_error',
  'permission_error',
  'invalid_request_error',
  'not_found_error',
  'request_too_large',
  'invalid_api_key',
  'invalid_prompt',
  'model_not_found',
  'context_length_exceeded',
  'content_filter',
  'content_policy_violation',
  'unsupported_country_region_territory',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'FAILED_PRECONDITION',
]);

/** Classes of errors for passing conditions, if nothing else decides. */
export const transientClasses: ReadonlySet<string> = new Set([
  'TimeoutError',
  'APIConnectionError',
  'APIConnectionTimeoutError',
  'RateLimitError',
  'InternalServerError',
  'OverloadedError',
  'ServiceUnavailableError',
  'ThrottlingException',
  'TooManyRequestsException',
  'ServiceUnavailableException',
  'InternalServerException',
  'ModelNotReadyException',
  'ModelTimeoutException',
]);

/** Classes of errors for authentication, validation or configuration. */
export const finalClasses: ReadonlySet<string> = new Set([
  'AuthenticationError',
  'PermissionDeniedError',
  'BadRequestError',
  'UnprocessableEntityError',
  'ValidationError',
  'ConfigurationError',
  'ZodError',
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_NoSuchModelError',
  'AI_NoSuchProviderError',
  'AI_UnsupportedFunctionalityError',
  'AccessDeniedException',
  'ExpiredTokenException',
  'UnrecognizedClientException',
  'ResourceNotFoundException',
  'ServiceQuotaExceededException',
  'ValidationException',
]);
