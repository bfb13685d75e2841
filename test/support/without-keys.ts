// What a developer has in the environment must not decide what a test does: with a key, LLM stages would call a model.
for (const name of Object.keys(process.env)) {
  if (/_(API_KEY|BASE_URL)$/.test(name)) delete process.env[name];
}
