const size = { width: 64, height: 40 };

class Life {
  constructor(canvas) {
    this.context = canvas.getContext("2d");
    this.cell = Math.floor(canvas.width / size.width);
    this.fields = new Uint8Array(size.width * size.height);
    canvas.addEventListener("click", (event) => this.toggle(event));
  }

  randomize(density) {
    this.fields = this.fields.map(() => (Math.random() < density ? 1 : 0));
  }

  at(x, y) {
    if (x < 0 || y < 0 || x >= size.width || y >= size.height) {
      return 0;
    }
    return this.fields[y * size.width + x];
  }

  toggle(event) {
    const x = Math.floor(event.offsetX / this.cell);
    const y = Math.floor(event.offsetY / this.cell);
    this.fields[y * size.width + x] ^= 1;
    this.paint();
  }

  tick() {
    this.fields = this.fields.map((living, i) => {
      const x = i % size.width;
      const y = (i - x) / size.width;
      const above = this.at(x - 1, y - 1) + this.at(x, y - 1) + this.at(x + 1, y - 1);
      const below = this.at(x - 1, y + 1) + this.at(x, y + 1) + this.at(x + 1, y + 1);
      const sum = above + below + this.at(x - 1, y) + this.at(x + 1, y);
      return sum === 3 || (living && sum === 2) ? 1 : 0;
    });
  }

  paint() {
    const { context, cell } = this;
    context.clearRect(0, 0, size.width * cell, size.height * cell);
    context.fillStyle = "darkgreen";
    this.fields.forEach((living, i) => {
      if (living) {
        context.fillRect((i % size.width) * cell, Math.floor(i / size.width) * cell, cell - 1, cell - 1);
      }
    });
  }
}

const life = new Life(document.querySelector("canvas"));
life.randomize(0.3);
setInterval(() => {
  life.tick();
  life.paint();
}, 120);
