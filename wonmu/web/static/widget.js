/*
 * The web chat for a hospital's page:
 *
 *   <script src="https://chat.example/static/widget.js" data-hospital="hanbit" defer></script>
 *
 * data-target="id" puts it into that element; without it a button opens it at the corner.
 * Everything it says comes from the server. What anybody typed is set as text, never as markup.
 * When it cannot be loaded, the page keeps what it has in the widget's place.
 */
(function () {
  "use strict";
  const script = document.currentScript;
  import(new URL("widget/mount.js", script.src).href)
    .then((module) => module.mount(script))
    .catch(() => console.warn("wonmu: the chat could not be loaded"));
})();
