# gnuplot predictor-apart-ConvAsmBwdWrW3x3.gp: predictor-apart-ConvAsmBwdWrW3x3.svg
set terminal svg size 760,440 font "sans,12" background "white"
set output "predictor-apart-ConvAsmBwdWrW3x3.svg"
set key autotitle columnhead outside right
set style data histogram
set style fill solid
set xtics rotate by -30
set yrange [0:]
set ylabel "%"
set grid ytics
plot for [i=2:5] "predictor-apart-ConvAsmBwdWrW3x3.tsv" using i:xtic(1)
