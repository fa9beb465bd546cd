const loaded = (globalThis.aidgeNbModules ??= new Map());
async function start(packed) {
  const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
  const whole = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const type = { type: "text/javascript" };
  const url = URL.createObjectURL(new Blob([await new Response(whole).blob()], type));
  return import(url).finally(() => URL.revokeObjectURL(url));
}
async function load(model) {
  const id = model.get("_front").replace("IPY_MODEL_", "");
  const front = await model.widget_manager.get_model(id);
  const digest = front.get("digest");
  if (!loaded.has(digest)) {
    loaded.set(digest, start(front.get("source")));
  }
  return loaded.get(digest);
}
export default {
  async render(context) {
    return (await load(context.model)).default.render(context);
  },
};
