// What Plotly and the browser leave out: a figure as SVG beside the PNG, and a printed page whose
// figures fit the paper.

const PAPER = 690; // pixels between the margins of A4

const offerSvg = figure => {
  const png = figure.querySelector('.modebar-btn[data-title^="Download plot"]');
  if (!png || figure.querySelector(".gai-svg")) return;
  const svg = png.cloneNode(true);
  svg.classList.add("gai-svg");
  svg.setAttribute("data-title", "Download plot as an SVG");
  svg.setAttribute("aria-label", "Download plot as an SVG");
  svg.addEventListener("click", () => {
    const options = figure._context.toImageButtonOptions;
    options.format = "svg";
    png.click();
    delete options.format;
  });
  png.after(svg);
};

const lookAtFigures = () => document.querySelectorAll(".js-plotly-plot").forEach(offerSvg);

const fitPaper = () => document.querySelectorAll(".js-plotly-plot, .stDataFrame").forEach(part => {
  part.style.zoom = Math.min(1, PAPER / part.offsetWidth);
});
const fitScreen = () => document.querySelectorAll(".js-plotly-plot, .stDataFrame").forEach(part => {
  part.style.zoom = "";
});

export default page => {
  document.documentElement.dataset.gaiTheme = page.data.theme;
  if (globalThis.gaiPage) return; // one page, one watch
  globalThis.gaiPage = new MutationObserver(lookAtFigures);
  globalThis.gaiPage.observe(document.body, { childList: true, subtree: true });
  addEventListener("beforeprint", fitPaper);
  addEventListener("afterprint", fitScreen);
  lookAtFigures();
};
