// The tool `x/echo` of the recordings of Rye: prints its arguments, name=value, as JSON.

const entries = process.argv.slice(2).map((argument) => {
  const sign = argument.indexOf('=');
  return [argument.slice(0, sign), parsed(argument.slice(sign + 1))];
});
process.stdout.write(JSON.stringify({ success: true, echo: Object.fromEntries(entries) }));

function parsed(text) {
  return /^\d+$/.test(text) ? Number(text) : text;
}
