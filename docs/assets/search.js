/* The theme's search takes a leading dash for "without". Here `--window` is the name of an option, which people look up. */
(() => {
  const post = Worker.prototype.postMessage;
  const asked = text => text.replace(/(^|[\s"])--(?=\w)/g, "$1");

  Worker.prototype.postMessage = function (message, ...rest) {
    const changed = typeof message?.data === "string" ? {...message, data: asked(message.data)} : message;
    return post.call(this, changed, ...rest);
  };
})();
